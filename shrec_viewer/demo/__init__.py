"""The bundled benchmark: parametric shapes, simple descriptors, and how it is built."""
