"""Layouts of a release. In: a `Release`, an empty folder. Out: pictures, tables and files in it."""
