// Loaded before every test file. The runner gives a test up after its time, and then waits for the process of the file for
// ever: a test that hangs would take the whole run with it.
const longestMs = 15 * 60_000

setTimeout(() => {
  console.error(`This file has not ended after ${longestMs / 60_000} minutes.`)
  process.exit(1)
}, longestMs).unref()
