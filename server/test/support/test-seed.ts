// What tests draw at random follows from this number, so that two runs of the same code try the same things.
// HONE_TEST_SEED has them try others.
export const testSeed = Number(process.env.HONE_TEST_SEED ?? 20_261_115)
