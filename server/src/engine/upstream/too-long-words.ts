// How servers say that a prompt, or prompt and answer together, are too long for their model. In small letters.
const wordings = [
  /context[_ ](length|size|window|limit)/,
  /(prompt|input) is too long/,
  /maximum (model|prompt|allowed input) length/,
  /maximum number of tokens/,
  // TGI, TensorRT-LLM.
  /tokens`? \+ `?max_new_tokens/,
  /prompt length .{0,80}should not exceed/,
  // Moonshot, Qwen at its own vendor, Z.ai, Copilot.
  /exceeded model token limit/,
  /range of input length should be/,
  /prompt exceeds max length/,
  /prompt token count of \d+ exceeds/,
]

export const tooLongWords = new RegExp(wordings.map(({ source }) => source).join('|'))
