"""The public interface: names, signatures, and what an import costs."""

import dataclasses
import inspect
import json
import subprocess
import sys
from operator import attrgetter

import pytest

import benchinfer as bi

NAMES = [
    "BenchinferError",
    "Components",
    "Declaration",
    "DesignError",
    "Ensemble",
    "Measure",
    "Relation",
    "Resampling",
    "ScoreTable",
    "ScoreTableError",
    "__version__",
    "allocate",
    "archetypes",
    "board",
    "compare",
    "compare_bayes",
    "compare_bayes_pairs",
    "compare_bootstrap",
    "compare_factors",
    "compare_meta",
    "compare_mixed",
    "compare_pair",
    "compare_permutation",
    "compare_points",
    "compare_subgroups",
    "compare_wins",
    "consensus",
    "dataset_features",
    "gate",
    "load",
    "load_example",
    "monitor",
    "monitor_measures",
    "pareto",
    "per_dataset",
    "plan",
    "plot",
    "read_effects",
    "read_scores",
    "read_traces",
    "read_wins",
    "regions",
    "report",
]

SUBMODULES = ["errors", "papers", "priors", "stability", "typing"]

# Keyword-only from the star on: what comes later may not shift what scripts rely on.
SIGNATURES = {
    "allocate": "pilot, measure=None, *, std_error=None, costs=None, fixed=None",
    "board": "scores, measure=None, *, sequence, by_more_than=0.0, level=0.95,"
    " spending='fallback', horizon=None, against='holder', spread='auto', state=None",
    "compare": "scores, measure=None, *, control=None, alternative='two-sided',"
    " interval='compatible', target='auto', level=0.95, missing='use', normalise=None, seed=1,"
    " progress=None",
    "compare_bayes": "scores, measure=None, *, interactions='t', structure='auto',"
    " domains='pooled', covariates=(), likelihood='normal', trials=None,"
    " quantity=None, contrasts='tukey', control=None, target='auto', level=0.95,"
    " missing='use', draws=None, chains=None, priors=None, sensitivity='none', seed=1,"
    " progress=None",
    "compare_bayes_pairs": "scores, measure=None, *, test='signed-rank', quantity=None,"
    " contrasts='tukey', control=None, level=0.95, missing='use', draws=None, chains=None,"
    " priors=None, seed=1, progress=None",
    "compare_factors": "scores, measure=None, *, control=None, family='all', level=0.95, seed=1",
    "compare_subgroups": "scores, measure=None, *, by=None, model='wins', minsize=10, depth=None,"
    " prune='none', tests='auto', honest=False, contrasts='tukey', control=None, level=0.95,"
    " seed=1",
    "compare_wins": "scores, measure=None, *, inference='likelihood', by='datasets',"
    " ties='davidson', tie_tolerance=None, local_rope=None, rope=0.05, errors='auto',"
    " penalised=False, departures=False, contrasts='tukey', control=None,"
    " alternative='two-sided', adjust='auto', interval='compatible', level=0.95, missing='use',"
    " draws=1000, chains=8, priors=None, seed=1, progress=None",
    "read_wins": "source, *, name='score', columns=None",
    "archetypes": "scores, measure=None, k=None, *, profiles='differences', standardise=False,"
    " weights=None, robust=False, starts=20, missing='use', seed=1, n_jobs=None",
    "regions": "comparison, covariate, pairs=None, *, level=None",
    "dataset_features": "x, y=None, *, task='auto'",
    "stability.bootstrap_consensus": "ensemble, *, method='symdiff', family='weak',"
    " missing_pairs='ignore', resamples=1000, resampled=None, seed=1, n_jobs=None, progress=None",
    "compare_bootstrap": "scores, measure=None, *, statistic='auto', resample='replications',"
    " interval='expanded', goal=None, contrasts='tukey', control=None,"
    " alternative='two-sided', adjust='auto', tolerance=None, level=0.95, missing='use',"
    " resamples='auto', seed=1, n_jobs=None, progress=None",
    "compare_meta": "scores, measure=None, *, effect=None, pooling='network', covariance='auto',"
    " method='reml', interval='auto', nested='auto', covariates=(), contrasts='tukey',"
    " control=None, alternative='two-sided', adjust='auto', tolerance=None, level=0.95,"
    " missing='use'",
    "compare_mixed": "scores, measure=None, *, terms='auto', structure='auto',"
    " residual='constant', domains='pooled', covariates=(), df='kenward-roger', contrasts='tukey',"
    " control=None, alternative='two-sided', adjust='auto', interval='compatible',"
    " reference='rotation', target='auto', level=0.95, missing='use', seed=1",
    "compare_pair": "scores, measure=None, *, test='auto', dataset=None, pair=None, control=None,"
    " baseline=None, margin=None, alternative='two-sided', adjust='auto',"
    " interval='compatible', level=0.95, parts=None, missing='use', seed=1",
    "compare_permutation": "scores, measure=None, *, on='aligned-ranks', null='auto',"
    " resamples=100000, contrasts='tukey', control=None, alternative='two-sided', adjust='auto',"
    " interval='compatible', pairs='pairwise', target='auto', level=0.95, missing='use', seed=1,"
    " stop=False, scale='none', trend=None, n_jobs=None, progress=None",
    "compare_points": "scores, measure=None, *, statistic='mean', tolerance=None, missing='use'",
    "Components": "dataset_algorithm, residual, n_algorithms=2, n_datasets=None,"
    " n_replications=None, df_residual=None, overlap=0.0, measure=None, units='',"
    " warning=''",
    "consensus": "ensemble, *, method='symdiff', family='weak', missing_pairs='ignore',"
    " solutions=100, time_limit=None",
    "stability.consensus_influence": "ensemble, *, method='symdiff', family='weak',"
    " missing_pairs='ignore'",
    "gate": "scores, measure=None, *, baseline, candidate, want='noninferior',"
    " by_more_than=0.0, by='auto', target='auto', level=0.95, unit='run', failed='missing',"
    " on_undecided=None",
    "papers.latex": "text",
    "load": "path",
    "Declaration": "measures=None, columns=None, layout='auto', where=None, name=None,"
    " dataset=None, resampling=None, paired=None, repeats='error', failed='missing',"
    " covariates=None, features=None, names=None, units=None, take=None, query=None,"
    " crashed='stopped', unit_weights='items', selected=False",
    "load_example": "name",
    "monitor": "scores, measure=None, *, pairs='all', control=None, method='recursive',"
    " rule='constant', spending='obrien-fleming', stage=50, last_stage='auto', test='t',"
    " null='symmetry', alternative='two-sided', target='datasets', level=0.95, state=None",
    "monitor_measures": "scores, measures, *, pairs='all', control=None, method='recursive',"
    " rule='constant', spending='obrien-fleming', stage=50, last_stage='auto', test='t',"
    " null='symmetry', alternative='two-sided', target='datasets', level=0.95, state=None",
    "Measure": "name, better, tolerance=0.0, scale='identity', bounds=None, unit='', label='',"
    " normalised=None, limit=None, par=1.0",
    "pareto": "scores, measures=None, *, level=0.95, reference='rotation', missing='use', seed=1",
    "per_dataset": "compare, scores, measure=None, *, n_jobs=None, **arguments",
    "plan": "pilot, difference, measure=None, *, level=0.95, power=0.8, aim='difference',"
    " contrasts='tukey', adjust='auto', k=None, target='auto', n_datasets=None,"
    " n_replications=None, costs=None, budget=None",
    "plot": "result, kind=None, ax=None, *, width='page', title=None, notes=True, top=None,"
    " pair=None, algorithms=None, order=None, highlight=None",
    "priors.Priors": "effect_scale=1.0, effect_sd=None, interaction_scale=1.0, tail_shape=2.0,"
    " tail_rate=0.1,"
    " shrinkage_median=None, shrinkage_sd=1.5, residual_sd=2.0, residual_spread=1.0,"
    " domain_scale=1.0,"
    " slope_sd=1.0, level_sd=2.0, level_scale=1.0, item_scale=1.0",
    "read_effects": "source, *, measures=None, columns=None, effect='difference', harmonise=None,"
    " correlation=None, covariates=(), n=None, spread='sd'",
    "read_scores": "source, *, measures=None, columns=None, layout='auto', where=None,"
    " name=None, dataset=None, resampling=None, paired=None, repeats='error',"
    " failed='missing', covariates=None, features=None, names=None, units=None, take=None",
    "read_traces": "source, targets, *, measures=None, columns=None, layout='auto', where=None,"
    " name=None, dataset=None, resampling=None, paired=None, repeats='error', features=None,"
    " names=None",
    "report": "results, path, *, scores=None, title=None, bayes=True, format=None, print='short'",
    "stability.resample_relations": "compare, scores, measure=None, *, resample='both',"
    " resamples=200, rule='evidence', seed=1, n_jobs=None, **arguments",
    "Resampling": "kind, folds=None, test_fraction=None, paired=None",
}


# What a user asks of a result; what sections, figures and reports need besides has an underscore.
OF_A_COMPARISON = {
    "algorithms",
    "alternative",
    "best",
    "citations",
    "contrasts",
    "description",
    "diagnostics",
    "evidence",
    "formula",
    "headline",
    "irrelevant",
    "letters",
    "level",
    "level_better",
    "level_name",
    "levels",
    "measure",
    "method",
    "noninferior",
    "options",
    "pairs",
    "plot",
    "proviso",
    "provenance",
    "ranking",
    "relation",
    "report",
    "rule",
    "save",
    "scope",
    "sentence",
    "setting",
    "stored_checks",
    "summary",
    "table",
    "target",
    "worst_case",
}
OF_A_MIXED_MODEL = {
    "about",
    "anova",
    "at",
    "by_domain",
    "correlations",
    "departures",
    "design",
    "direct",
    "fitted",
    "influence",
    "model",
    "predict",
    "rows",
    "slopes",
    "structure",
    "structures",
    "variances",
}


def test_names() -> None:
    assert bi.__all__ == NAMES
    assert dir(bi) == sorted(NAMES + SUBMODULES)
    assert len(NAMES) <= 43


@pytest.mark.parametrize("name", NAMES)
def test_each_name_is_there_and_documented(name: str) -> None:
    thing = getattr(bi, name)
    assert name == "__version__" or inspect.getdoc(thing)
    # A test module that imports everything must not collect the package's own functions.
    assert not name.startswith("test_")


@pytest.mark.parametrize("module", SUBMODULES)
def test_names_of_submodules_are_documented(module: str) -> None:
    for name in getattr(bi, module).__all__:
        assert inspect.getdoc(getattr(getattr(bi, module), name))


def test_public_names_of_a_result() -> None:
    result = bi.compare_mixed(bi.load_example("simulated/balanced"))
    public = {name for name in dir(result) if not name.startswith("_")}
    assert public == OF_A_COMPARISON | OF_A_MIXED_MODEL
    fields = {field.name for field in dataclasses.fields(result)}
    assert [n for n in public - fields if not inspect.getdoc(getattr(type(result), n))] == []


def test_unknown_names_are_attribute_errors() -> None:
    with pytest.raises(AttributeError, match="'compare_magic'"):
        _ = bi.compare_magic


def test_every_function_has_its_signature_written_down() -> None:
    names = [*NAMES, *(f"{m}.{name}" for m in SUBMODULES for name in getattr(bi, m).__all__)]
    functions = {name for name in names if inspect.isfunction(attrgetter(name)(bi))}
    assert functions <= set(SIGNATURES)


@pytest.mark.parametrize("name", SIGNATURES)
def test_signature(name: str) -> None:
    parameters = inspect.signature(attrgetter(name)(bi)).parameters.values()
    bare = [p.replace(annotation=inspect.Parameter.empty) for p in parameters]
    assert str(inspect.Signature(bare)) == f"({SIGNATURES[name]})"


def _in_a_clean_process(code: str) -> object:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    return json.loads(done.stdout)


HEAVY = ("arviz", "matplotlib", "narwhals", "numba", "pandas", "pymc", "scipy.stats", "statsmodels")


def test_import_is_light() -> None:
    code = f"""
import json, sys, time
import benchinfer
seconds = time.process_time()
print(json.dumps([seconds, [name for name in {HEAVY} if name in sys.modules]]))
"""
    seconds, loaded = _in_a_clean_process(code)
    assert loaded == []
    assert seconds < 0.3


@pytest.mark.slow
def test_a_comparison_loads_no_figures() -> None:
    code = """
import json, sys
import benchinfer as bi
bi.compare_points(bi.load_example("demsar2006")).contrasts(all=True)
print(json.dumps([name for name in ("matplotlib", "pymc", "jinja2") if name in sys.modules]))
"""
    assert _in_a_clean_process(code) == []


@pytest.mark.slow
def test_a_mixed_model_and_its_diagnostics_do_without_the_statistics_of_scipy() -> None:
    # They take longer to load than a model to fit.
    code = """
import json, sys
import benchinfer as bi
mixed = bi.compare_mixed(bi.load_example("simulated/balanced"))
mixed.contrasts(all=True), mixed.summary()
normal = mixed.diagnostics()["check"].str.contains("Shapiro")
print(json.dumps(["scipy.stats" in sys.modules, int(normal.sum())]))
"""
    assert _in_a_clean_process(code) == [False, 2]


@pytest.mark.slow
def test_a_report_without_bayes_loads_no_sampler() -> None:
    code = """
import json, sys
import benchinfer.reports.page
print(json.dumps([name for name in ("arviz_stats", "pymc", "xarray") if name in sys.modules]))
"""
    assert _in_a_clean_process(code) == []


def test_a_public_name_is_not_also_a_module() -> None:
    import pkgutil

    modules = {module.name for module in pkgutil.iter_modules(bi.__path__)}
    assert not modules & set(NAMES)
