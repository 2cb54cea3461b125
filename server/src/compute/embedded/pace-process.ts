// The process that measures a pace: `node pace-process.ts <model folder> <tokens per row>` trains three steps on made-up rows and sends
// the seconds that a token takes. The first step is not counted, because it also loads what the others have.
import { availableParallelism, setPriority } from 'node:os'
import { adamStep } from './adam-step.ts'
import { loraParameters } from './lora-parameters.ts'
import { seededRandom } from '../../lib/seeded-random.ts'
import { TrainingSession } from './training-session.ts'
import { automaticTrainingSettings, samplesPerStep } from '../training-settings.ts'
import { readModelFolder } from '../../engine/embedded/llama/read-model-folder.ts'

const countedSteps = 2
const niceness = 10

process.on('disconnect', () => process.exit(1))
// Before any other thread is started, so that all of them have it.
setPriority(niceness)
const [, , folder = '', tokensPerRow = ''] = process.argv
const model = await readModelFolder(folder)
const length = Math.min(model.config.contextWindow, Math.max(2, Math.round(Number(tokensPerRow))))
const { lora_rank: rank, lora_alpha: alpha, learning_rate } = automaticTrainingSettings(0)
const parameters = loraParameters(model.config, rank, 1)
const threads = availableParallelism()
const session = await TrainingSession.open(model, { rank, alpha }, parameters, { threads })
const random = seededRandom(1)

/** The answer is the last quarter, as it is of many rows. */
function row(): { inputIds: number[]; labels: number[] } {
  const inputIds = Array.from({ length }, () => Math.floor(random() * model.config.vocabSize))
  const asked = Math.min(length - 1, Math.floor(length * 0.75))
  return { inputIds, labels: inputIds.map((id, at) => (at < asked ? -100 : id)) }
}

async function step(number: number): Promise<void> {
  await session.lossAndGradients(Array.from({ length: samplesPerStep }, row))
  adamStep(parameters.all, number, learning_rate)
}

await step(1)
const started = performance.now()
for (let number = 2; number < 2 + countedSteps; number++) await step(number)
const seconds = (performance.now() - started) / 1000
process.send?.(seconds / (countedSteps * samplesPerStep * length), () => process.exit(0))
