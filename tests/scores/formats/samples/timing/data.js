window.BENCHMARK_DATA = {
  "lastUpdate": 1767225600000,
  "repoUrl": "https://example.org/r",
  "entries": {
    "Rust": [
      {
        "commit": {
          "id": "c0ffee11aa",
          "message": "m",
          "timestamp": "2026-01-01T00:00:00Z",
          "url": "https://example.org/c0ffee11aa",
          "author": {
            "name": "n",
            "username": "n"
          },
          "committer": {
            "name": "n",
            "username": "n"
          }
        },
        "date": 1767225600000,
        "tool": "cargo",
        "benches": [
          {
            "name": "sort_small",
            "value": 210.0,
            "unit": "ns/iter",
            "range": "+/- 1"
          },
          {
            "name": "sort_large",
            "value": 3100.0,
            "unit": "ns/iter",
            "range": "+/- 1"
          }
        ]
      },
      {
        "commit": {
          "id": "c0ffee22bb",
          "message": "m",
          "timestamp": "2026-01-01T00:00:00Z",
          "url": "https://example.org/c0ffee22bb",
          "author": {
            "name": "n",
            "username": "n"
          },
          "committer": {
            "name": "n",
            "username": "n"
          }
        },
        "date": 1767225600000,
        "tool": "cargo",
        "benches": [
          {
            "name": "sort_small",
            "value": 190.0,
            "unit": "ns/iter",
            "range": "+/- 1"
          },
          {
            "name": "sort_large",
            "value": 2950.0,
            "unit": "ns/iter",
            "range": "+/- 1"
          }
        ]
      }
    ],
    "Python": [
      {
        "commit": {
          "id": "c0ffee11aa",
          "message": "m",
          "timestamp": "2026-01-01T00:00:00Z",
          "url": "https://example.org/c0ffee11aa",
          "author": {
            "name": "n",
            "username": "n"
          },
          "committer": {
            "name": "n",
            "username": "n"
          }
        },
        "date": 1767225600000,
        "tool": "pytest",
        "benches": [
          {
            "name": "t.py::test_io",
            "value": 40.5,
            "unit": "iter/sec",
            "range": "+/- 1"
          }
        ]
      },
      {
        "commit": {
          "id": "c0ffee22bb",
          "message": "m",
          "timestamp": "2026-01-01T00:00:00Z",
          "url": "https://example.org/c0ffee22bb",
          "author": {
            "name": "n",
            "username": "n"
          },
          "committer": {
            "name": "n",
            "username": "n"
          }
        },
        "date": 1767225600000,
        "tool": "pytest",
        "benches": [
          {
            "name": "t.py::test_io",
            "value": 44.25,
            "unit": "iter/sec",
            "range": "+/- 1"
          }
        ]
      }
    ]
  }
}