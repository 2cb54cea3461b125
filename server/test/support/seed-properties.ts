// Loaded before every test file: its property tests begin with the seed of the run.
import fc from 'fast-check'
import { testSeed } from './test-seed.ts'

fc.configureGlobal({ seed: testSeed })
