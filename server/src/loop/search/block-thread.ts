// The thread that sorts: takes texts until it is told to build, and gives back the blocks of a segment.
import { parentPort } from 'node:worker_threads'
import { giveWayToCalls } from '../../lib/thread-priority.ts'
import { buildBlocks } from './build-blocks.ts'

/** Null asks for the blocks of all texts so far. */
export type ToThread = readonly string[] | null

const port = parentPort
if (!port) throw new Error('block-thread.ts is started as a thread')
giveWayToCalls()
let texts: string[] = []
port.on('message', (message: ToThread) => {
  if (message !== null) {
    texts.push(...message)
    return
  }
  const blocks = buildBlocks(texts)
  texts = []
  port.postMessage(blocks, [blocks.firstKeys.buffer, blocks.starts.buffer, blocks.bytes.buffer])
})
