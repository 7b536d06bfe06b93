import { isDeepStrictEqual } from 'node:util'
import { isMap, isScalar, type Scalar } from 'yaml'
import { parseLimitedYaml } from '../markdown/limited-yaml.ts'

/** The old and the new path of a folder. */
type Move = { from: string; to: string }

/**
 * The text of `folders.yml` with the settings of a folder, and of the folders below it, under its new path. All other
 * bytes stay. Undefined if there is nothing to change, or if the file cannot be changed without loss. Pure.
 */
export function movedSettings(text: string, move: Move): string | undefined {
  const yaml = parseLimitedYaml(text)
  const folders = yaml.kind === 'parsed' ? yaml.document.get('folders', true) : undefined
  if (yaml.kind !== 'parsed' || !isMap(folders)) return undefined

  const pieces: string[] = []
  let end = 0
  for (const { key } of folders.items) {
    if (!isScalar(key) || typeof key.value !== 'string' || !key.range) continue
    const path = movedPath(key.value, move)
    if (path === key.value) continue
    pieces.push(text.slice(end, key.range[0]), quotedLike(key, path))
    end = key.range[1]
  }
  const moved = pieces.join('') + text.slice(end)
  return pieces.length > 0 && isAsMeant(yaml.value, moved, move) ? moved : undefined
}

function movedPath(path: string, { from, to }: Move): string {
  return path === from || path.startsWith(`${from}/`) ? to + path.slice(from.length) : path
}

function quotedLike({ type }: Scalar, path: string): string {
  if (type === 'QUOTE_SINGLE') return `'${path.replaceAll("'", "''")}'`
  const isPlain = /^\p{L}[\p{L}\p{M}\p{N}_ /.-]*$/u.test(path) && !/^(?:true|false|null|yes|no|on|off)$/i.test(path)
  return type === 'PLAIN' && isPlain ? path : JSON.stringify(path)
}

/** True if the text has exactly the moved settings. A setting that already exists under the new path would be lost. */
function isAsMeant(before: unknown, text: string, move: Move): boolean {
  const yaml = parseLimitedYaml(text)
  if (yaml.kind === 'refused') return false
  const { folders, ...rest } = before as { folders: Record<string, unknown> }
  const entries = Object.entries(folders).map(([path, value]) => [movedPath(path, move), value] as const)
  const moved = Object.fromEntries(entries)
  return Object.keys(moved).length === entries.length && isDeepStrictEqual(yaml.value, { ...rest, folders: moved })
}
