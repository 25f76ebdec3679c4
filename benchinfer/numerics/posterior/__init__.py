"""Draws of posteriors that have no closed form, and probabilities of outcomes from draws."""
