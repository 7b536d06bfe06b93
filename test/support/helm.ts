import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parseAllDocuments } from 'yaml'

const run = promisify(execFile)
const repository = fileURLToPath(new URL('../..', import.meta.url))

/** Major versions of Helm that the charts support. */
export type HelmMajor = 3 | 4
export type ChartName = 'svc-platform' | 'svcd'
export type ChartObject = {
  apiVersion: string
  kind: string
  metadata: { name: string; namespace?: string; labels?: Record<string, string>; annotations?: Record<string, string> }
  [field: string]: unknown
}

export const chartFolder = (chart: ChartName) => join(repository, 'charts', chart)

/** The program of that major version, built once into the user's cache. */
export async function helmProgram(major: HelmMajor): Promise<string> {
  const { stdout } = await run(join(repository, 'test/helm/build.sh'), [String(major)], { timeout: 1_800_000 }).catch(
    (error: Error) => {
      throw new Error(`There is no Helm ${major} to test charts with: install Go. ${error.message}`)
    },
  )
  return stdout.trim()
}

type RenderOptions = { helm: string; chart: ChartName; values: object; namespace?: string; kubeconfig?: string }

/**
 * The objects that `helm template` renders for these values, including hooks: with a kubeconfig those of a first
 * installation in that cluster, else without any cluster. Throws Helm's message if Helm refuses.
 */
export async function render(options: RenderOptions): Promise<ChartObject[]> {
  const { helm, chart, values, namespace = 'svc-system', kubeconfig } = options
  const args = ['template', 'svc', chartFolder(chart), '--namespace', namespace, '--kube-version', '1.36.3']
  // Helm 4 would refuse a definition that the cluster has already.
  if (kubeconfig !== undefined) args.push('--dry-run=server', '--take-ownership')
  // Without a home Helm would keep what it learns about the cluster in the working directory.
  const access = kubeconfig === undefined ? {} : { KUBECONFIG: kubeconfig, HOME: process.env.HOME }
  const env = { PATH: process.env.PATH, ...access }
  const child = run(helm, [...args, '--values', '-'], { maxBuffer: 2 ** 26, env })
  child.child.stdin?.end(JSON.stringify(values))
  const { stdout } = await child.catch((error: Error & { stderr?: string }) => {
    throw new Error(error.stderr ?? error.message)
  })
  return parseAllDocuments(stdout)
    .map((document) => {
      if (document.errors[0]) throw document.errors[0] // for example a duplicate key
      return document.toJS() as ChartObject | null
    })
    .filter((object) => object !== null)
}

/** Runs Helm on a cluster; returns its output. */
export async function helmRun(
  helm: string,
  args: string[],
  { kubeconfig, input = '' }: { kubeconfig: string; input?: string },
): Promise<string> {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, KUBECONFIG: kubeconfig }
  const child = run(helm, args, { maxBuffer: 2 ** 26, env })
  child.child.stdin?.end(input)
  const { stdout } = await child.catch((error: Error & { stdout?: string; stderr?: string }) => {
    throw new Error(`helm ${args[0]}: ${error.stderr ?? error.message}\n${error.stdout ?? ''}`)
  })
  return stdout
}
