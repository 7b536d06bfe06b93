import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Folder of the repository, with a slash at its end. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

export const parts = ['shared', 'kube', 'daemon', 'control-plane', 'operator', 'embedded'] as const

/** All TypeScript files of the parts, tests included. */
export const files = globSync(`{${parts.join(',')}}/**/*.{ts,tsx}`, {
  cwd: root,
  exclude: (path) => /node_modules|(^|\/)dist(\/|$)/.test(path),
})

export const sources = files.filter((path) => !/\.test\.tsx?$/.test(path))

const texts = new Map<string, string>()

export function textOf(path: string): string {
  const text = texts.get(path) ?? readFileSync(join(root, path), 'utf8')
  texts.set(path, text)
  return text
}

export type Import = { from: string; to: string; typeOnly: boolean }

/** Resolves an import specifier to a path of the repository, or to a package name. */
function target(from: string, specifier: string): string {
  if (specifier.startsWith('@svc/')) return specifier.slice('@svc/'.length)
  return specifier.startsWith('.') ? normalize(join(dirname(from), specifier)) : specifier
}

const statement =
  /^(?:import|export)\s+(type\s)?(?:(?:\*(?:\s+as\s+\w+)?|[\w$]+(?:\s*,\s*(?:\{[^}]*\}|\*\s+as\s+\w+))?|\{[^}]*\})\s+from\s+)?['"]([^'"]+)['"]/gm
const dynamic = /import\(\s*['"]([^'"]+)['"]\s*\)/g

/** Every import and re-export of the sources. */
export const imports: readonly Import[] = sources.flatMap((from) => {
  const text = textOf(from)
  return [
    ...[...text.matchAll(statement)].map(([, type, to = '']) => ({
      from,
      to: target(from, to),
      typeOnly: type !== undefined,
    })),
    ...[...text.matchAll(dynamic)].map(([, to = '']) => ({ from, to: target(from, to), typeOnly: false })),
  ]
})

export const partOf = (path: string) => parts.find((part) => path.startsWith(`${part}/`))
export const folderOf = (path: string) => path.split('/').slice(0, -1).join('/')
export const nameOf = (path: string) => path.split('/').at(-1) ?? ''
export const shown = (found: readonly Import[]) => found.map(({ from, to }) => `${from} → ${to}`)
export const offenders = (predicate: (found: Import) => boolean) => shown(imports.filter(predicate))
/** A source without its comments. */
export const codeOf = (path: string) => textOf(path).replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
