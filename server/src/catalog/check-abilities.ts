// What a model cannot do is refused before it is asked, naming the field and the model.
import { Refusal } from '../core/refusal.ts'
import type { CallRequest } from '../core/request.ts'
import type { CatalogModel } from './catalog-file.ts'

export function checkAbilities(model: CatalogModel, request: CallRequest): void {
  if (request.tools.length > 0 && !model.supports_tools) {
    throw cannot('tools', `${model.id} cannot call tools; choose a model with supports_tools.`)
  }
  const images = request.messages.flatMap(({ blocks }) =>
    blocks.flatMap((block) =>
      block.type === 'tool-result' ? block.content.filter(isImage) : [block].filter(isImage),
    ),
  )
  if (images.length === 0) return
  if (!model.supports_vision) {
    throw cannot(
      'messages',
      `${model.id} could not process image data, as it cannot see images; choose a model with supports_vision.`,
    )
  }
  if (model.image_urls === 'refuse' && images.some((image) => image.source.kind === 'url')) {
    throw cannot('messages', `${model.id} takes images as base64 data only, not as URLs.`)
  }
}

function isImage<Block extends { type: string }>(
  block: Block,
): block is Extract<Block, { type: 'image' }> {
  return block.type === 'image'
}

function cannot(param: string, message: string): Refusal {
  return new Refusal('unsupported_by_model', message, { param })
}
