// How many of each thing one request may hold, in either dialect.
export const messagesMax = 10_000
export const partsMax = 2_000
/** Parts of all messages together. */
export const blocksMax = 50_000
export const toolsMax = 1_000
export const imagesMax = 100
export const stopStringsMax = 16
export const toolNameCharactersMax = 128
export const tokensMax = 1_000_000_000
