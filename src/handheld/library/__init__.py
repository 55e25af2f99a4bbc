"""Phones for Python programs: `from handheld import Phone`, or `AsyncPhone`.

A program gets the tools for models as methods, with the same names, parameters and sentences.
docs/library.md describes them.
"""
