// Numbers that clients of any route can run into, by name, with the unit last.

/** Inference bodies. Spec 1, Limits. */
export const inferenceBodyBytesMax = 32 * 1024 * 1024
/** Platform bodies; imports carry conversations and have their own limit. */
export const platformBodyBytesMax = 1024 * 1024
/** Platform bodies held at once by one process; imports have a budget of their own, and the small ones are not counted. */
export const platformBytesInFlightMax = 128 * 1024 * 1024
/** Of these by one workspace, and by all who have not signed in. */
export const platformBytesPerWorkspaceMax = platformBytesInFlightMax / 2

export const listPageSizeDefault = 50
export const listPageSizeMax = 200
/** Of `GET /v1/models` in the messages dialect, as its clients know it. */
export const modelPageMax = 1000

/** The longest span of time that one question for usage may be about, and the one where none is said. */
export const usageDaysMax = 400
export const usageDaysDefault = 30

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
/** Requests that a connection may send before the ones before them are answered; it is closed beyond. */
export const earlyRequestsMax = 64
/** A client that takes nothing of its answer for so long is cut off; it is not billed. */
export const clientStallSeconds = 60

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
/** Of these by one workspace, so that the others still get in. */
export const bodyBytesPerWorkspaceMax = bodyBytesInFlightMax / 2
export const bodyBytesSmall = 64 * 1024
/** After the grace, a body must have come at this rate on average. */
export const bodyGraceSeconds = 10
export const bodyBytesPerSecondMin = 1024
export const headerSeconds = 10
/** Open at once from one address that is not this machine, unless the operator sets another number. */
export const connectionsPerAddressDefault = 1000

/** How many of each thing one inference request may hold, in either dialect. */
export const messagesMax = 10_000
export const partsMax = 2_000
export const toolsMax = 1_000
export const imagesMax = 100
export const imageAddressCharactersMax = 8_192
/** Images of one request that Hone fetches itself: how many, and their bytes together. */
export const hostedImagesMax = 20
export const hostedImageBytesMax = 20 * 1024 * 1024
export const stopStringsMax = 16
/** Fields that name something and are looked into no further: `session_id`, `prompt_cache_key`, `user` and their like. */
export const shortTextCharactersMax = 1_000
export const toolNameCharactersMax = 128
export const schemaNameCharactersMax = 128

/** Labels of samples, the tags of pipelines among them. Spec 2, Limits. */
export const tagsPerSampleMax = 32
export const tagCharactersMax = 63

/** Rows of one import call, and what its body may weigh. Spec 2, Limits. */
export const importRowsMax = 5_000
export const importBodyBytesMax = 64 * 1024 * 1024
export const importIdCharactersMax = 128
export const rowIdCharactersMax = 200
/** Import bodies held at once by one process, all together; whoever finds no room is told to come back. */
export const importBytesInFlightMax = 192 * 1024 * 1024
export const importBytesPerWorkspaceMax = 96 * 1024 * 1024
export const importRetrySeconds = 2
/** What the JSON of an import may hold: it is read on a thread of its own, but in bounded time and memory. */
export const importJsonValuesMax = 2_000_000
export const importJsonShapesMax = 100_000
export const importJsonKeyBytesMax = 32 * 1024 * 1024
export const importJsonNumberBytesMax = 16 * 1024 * 1024
export const importJsonEscapesMax = 32_000_000
/** Reasons that an answer tells apart; rows refused for further ones share a line. */
export const importReasonsMax = 100
/** A posted sample is one conversation; so is a correction. */
export const sampleBodyBytesMax = 5 * 1024 * 1024
/** What a conversation may weigh as stored; a larger one is counted and not kept. */
export const sampleBytesMax = 4 * 1024 * 1024
export const correctionCharactersMax = 1_000_000
/** Feedback that one sample may gather, and what its corrections may weigh together. */
export const signalsPerSampleMax = 1_000
export const correctionBytesPerSampleMax = 32 * 1024 * 1024
/** How much of it is read with the sample, the newest first; there is room for any correction. */
export const signalsShownMax = 100
export const correctionBytesShownMax = 4 * 1024 * 1024

export const samplesPerPage = 25
export const searchCharactersMin = 2
export const searchCharactersMax = 200
/** A list counts up to here; beyond, it says that there are at least so many. A search reads each text it counts. */
export const sampleCountMax = 1_000
export const searchCountMax = 200
/** Samples that a search cannot see are all counted; under conditions for which no count is kept, up to here. */
export const notSearchedCountMax = 10_000
/** How much of a question and of an answer a list shows. */
export const previewCharacters = 200

/** Spec 2, Limits: sample retention. */
export const recordedRetentionDays = 30
export const importedRetentionDays = 365
export const retentionDaysMax = 3_650

/** Feedback may come before its sample is stored; an id older than this never arrived. Spec 2, recording headers. */
export const sampleArrivalSeconds = 300
export const sampleRetrySeconds = 2

export const pipelinesPerList = 20
/** The newest, which are shown with a pipeline; all of them have a list of their own. */
export const versionsPerPipeline = 100
/** Shown with a pipeline that is read alone, and with each of a list. */
export const attemptsPerPipeline = 20
export const attemptsPerPipelineInList = 5
export const useCaseCharactersMax = 2_000
export const pipelineDatasetsMax = 32
export const maxVersionsMax = 100
/** Spec 2, held-back test, rule 6. */
export const heldBackPercentDefault = 5
export const heldBackPercentMax = 20
export const heldBackRowsMin = 100
/** What an attempt trains on at least. */
export const trainingRowsMin = 1_000
/** For a member to decide on what a test or the policy left open. */
export const reviewDays = 14

/** As long as the names that are made of tags. */
export const deploymentNameCharactersMax = 80

/** A workspace's own bucket. */
export const endpointCharactersMax = 500
export const storagePrefixCharactersMax = 200
export const accessKeyCharactersMax = 200
