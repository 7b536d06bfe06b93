import type { Extension } from '@codemirror/state'
import { othersInCells } from '../tables/others-in-cells.ts'
import { blockKeys } from './block-keys.ts'
import { blockPreview } from './block-preview.ts'
import { inlinePreview } from './inline-preview.ts'
import { revealing } from './revealed.ts'

/** Renders the Markdown in place while it is edited. Wherever the selection touches it, the source shows. */
export const livePreview: Extension = [revealing, inlinePreview, blockPreview, blockKeys, othersInCells]
