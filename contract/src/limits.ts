// Every number a client can run into, by name, with its unit last.

/** Inference bodies. Spec 1, Limits. */
export const inferenceBodyBytesMax = 32 * 1024 * 1024
/** Platform bodies; imports carry conversations and have their own limit. */
export const platformBodyBytesMax = 1024 * 1024

export const listPageSizeDefault = 50
export const listPageSizeMax = 200

export const nameCharactersMax = 120
export const emailCharactersMax = 254
export const passwordCharactersMin = 10
export const passwordCharactersMax = 200
export const idempotencyKeyCharactersMax = 255
export const requestIdCharactersMax = 128

export const topUpUsdMin = '0.01'
export const topUpUsdMax = '1000000'

/** Bad tries a minute, counted per address and per account. */
export const loginTriesPerMinute = 10
export const accessTokenSeconds = 3600

/** Keep-alive on streams while the model is silent. Spec 1, Events 2. */
export const keepAliveSeconds = 15

/** What the JSON of an inference body may hold, so that reading one never holds up the others. */
export const jsonDepthMax = 100
export const jsonValuesMax = 100_000
/** Keys in new places: each distinct way an object's keys begin counts once. */
export const jsonShapesMax = 10_000
export const jsonKeyBytesMax = 1024 * 1024
/** Characters of numbers and literals, all together. */
export const jsonNumberBytesMax = 2 * 1024 * 1024
export const jsonEscapesMax = 2_000_000

/** Bodies held at once by calls in flight, all together; the small ones are let in even when it is full. */
export const bodyBytesInFlightMax = 256 * 1024 * 1024
export const bodyBytesSmall = 64 * 1024
/** After the grace, a body must have come at this rate on average. */
export const bodyGraceSeconds = 10
export const bodyBytesPerSecondMin = 1024
export const headerSeconds = 10
export const connectionsPerAddressMax = 1000

/** How many of each thing one inference request may hold, in either dialect. */
export const messagesMax = 10_000
export const partsMax = 2_000
/** Parts of all messages together. */
export const blocksMax = 50_000
export const toolsMax = 1_000
export const imagesMax = 100
export const stopStringsMax = 16
export const toolNameCharactersMax = 128
export const tokensMax = 1_000_000_000
