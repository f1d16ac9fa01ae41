"""Models that run on this machine without a server: encoders that judge, and embeddings.

    model_folder   a folder with a model: its files, its labels, what is missing
    known_models   models that are known by a short name, and those that were downloaded
    model_pull     downloading one, with a pinned revision and checksums
    encoder        texts in, numbers out: onnxruntime and tokenizers, in batches
    source_windows the parts of a source that a judge with little room reads
    encoder_judge  what a source says of claims: `open_judge`
    nli_judge      classifiers of entailment
    grounding_judge classifiers of tokens, and HHEM
    embedder       vectors of texts, as a `LanguageModel`

They need the extra ``local`` (onnxruntime, tokenizers, huggingface-hub; no PyTorch). Importing this
package loads none of it.
"""
