"""Sources. In: public sites, APIs, files and datasets. Out: what is found there, and refusals."""
