import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import type { ChartObject } from './helm.ts'

const module = fileURLToPath(new URL('../helm/crds', import.meta.url))

// Foreign kinds that the charts create, by the module whose files define them.
const definitions: Record<string, readonly string[]> = {
  'sigs.k8s.io/gateway-api': ['config/crd/standard/gateway.networking.k8s.io_httproutes.yaml'],
  'github.com/prometheus-operator/prometheus-operator': [
    'example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml',
    'example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml',
  ],
}

/** Resource definitions of the Gateway API and of the Prometheus operator, from the pinned Go modules. */
export async function foreignDefinitions(): Promise<ChartObject[]> {
  const found: ChartObject[] = []
  for (const [name, files] of Object.entries(definitions)) {
    const { Dir } = JSON.parse(await downloadModule(name)) as { Dir: string }
    for (const file of files) found.push(parse(await readFile(join(Dir, file), 'utf8')) as ChartObject)
  }
  return found
}

async function downloadModule(name: string): Promise<string> {
  try {
    return (await promisify(execFile)('go', ['mod', 'download', '-json', name], { cwd: module })).stdout
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    throw new Error(
      `${name} comes as a Go module, and no go is in the PATH: install Go, or add its folder to the PATH`,
      {
        cause: error,
      },
    )
  }
}
