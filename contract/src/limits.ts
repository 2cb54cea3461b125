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
