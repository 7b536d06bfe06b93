import { readFileSync } from 'node:fs'

/** The options of Node with which the control plane's image starts, from its Dockerfile. */
export function imageOptions(): string[] {
  const dockerfile = readFileSync(new URL('../../control-plane/Dockerfile', import.meta.url), 'utf8')
  const entryPoint = /^ENTRYPOINT (\[.*\])$/m.exec(dockerfile)?.[1]
  if (entryPoint === undefined) throw new Error('the Dockerfile of the control plane has no ENTRYPOINT')
  return (JSON.parse(entryPoint) as string[]).filter((word) => word.startsWith('--'))
}
