import type { Extension } from '@codemirror/state'
import { othersInCells } from '../tables/others-in-cells.ts'
import { blockKeys } from './block-keys.ts'
import { blockPreview } from './block-preview.ts'
import { inlinePreview } from './inline-preview.ts'
import { revealing } from './revealed.ts'

/** Shows what the Markdown means while it is edited. The text shows as it is written where the selection touches it. */
export const livePreview: Extension = [revealing, inlinePreview, blockPreview, blockKeys, othersInCells]
