import type { KeptLink } from '../markdown/link-facts.ts'
import type { FileNames } from './file-names.ts'
import { resolveTarget } from './resolve-target.ts'

/** The file that a link of one note leads to, or undefined. */
export type FileOfLink = (link: Pick<KeptLink, 'kind' | 'target'>) => string | undefined

/**
 * Resolves the links of one note. It may repeat a link thousands of times, and thousands of files may have the name, so
 * each target is looked up once.
 */
export function createTargetCache(names: Pick<FileNames, 'named'>, from: string): FileOfLink {
  const files = new Map<string, string | undefined>()
  return ({ kind, target }) => {
    const style = kind === 'wiki' ? 'wiki' : 'address'
    const key = `${style} ${target}`
    if (!files.has(key)) files.set(key, resolveTarget(names, { target, from, style }))
    return files.get(key)
  }
}
