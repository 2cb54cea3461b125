// The header that keeps clients from trying again by themselves, where that would be in vain (both SDKs obey it).
export const noRetry = { 'x-should-retry': 'false' }
