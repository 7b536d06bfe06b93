import { codeOf, imports, sources, textOf } from './source-imports.ts'

const effectModules =
  /^(node:(?!(crypto|util|path|buffer|url|querystring|assert)\b)|(pg|kysely|undici|ws|fastify|ioredis|bullmq|nodemailer|pino|react|better-auth|simple-git|@kubernetes\/client-node)(\/|$))/
const effectCalls =
  /\b(Date\.now\(|new Date\(\)|performance\.now\(|Math\.random\(|random(Bytes|UUID|Int)\(|getRandomValues\(|set(Timeout|Interval|Immediate)\(|fetch\(|process\.(env|stdout|stderr|hrtime))/

const pureNames =
  /(^|\/)(decide-[^/]+|plan[^/]*|children|conditions|anchors|baseline|frame|request-headers|response-headers|classify-change)\.ts$/
const saysPure = (path: string) =>
  [...textOf(path).matchAll(/\/\*\*[\s\S]*?\*\//g)].some(([doc]) => /\bPure\b/.test(doc))

/** Files that are pure by name or that say so. */
export const pureFiles = sources.filter((path) => path.endsWith('.ts') && (pureNames.test(path) || saysPure(path)))

export const saidPure = sources.filter(saysPure)

/**
 * The shortest import path, through value imports, from a file to a module with effects; undefined if there is none.
 */
export function wayToEffect(start: string): string | undefined {
  const trails = new Map([[start, start]])
  for (const [path, trail] of trails) {
    const [call] = effectCalls.exec(codeOf(path)) ?? []
    if (call !== undefined) return `${trail}: ${call})`
    for (const { from, to, typeOnly } of imports) {
      if (from !== path || typeOnly) continue
      if (effectModules.test(to)) return `${trail} → ${to}`
      if (sources.includes(to) && !trails.has(to)) trails.set(to, `${trail} → ${to}`)
    }
  }
  return undefined
}
