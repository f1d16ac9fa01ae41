"""Models that run on this machine without a server: encoders that judge, and embeddings.

    model_folder   a folder with a model: its files, its labels, what is missing; the models that
                   were downloaded, and those with a short name
    model_pull     downloads a model, with a pinned revision and checksums
    encoder        texts in, numbers out: onnxruntime and tokenizers, in batches; vectors of texts
                   as a `LanguageModel`
    encoder_judge  the stance of a source on claims: `open_judge`
    local_judges   the kinds of judges: entailment, tokens, HHEM

They need the extra ``local`` (onnxruntime, tokenizers, huggingface-hub; no PyTorch). Importing this
package loads none of it.
"""
