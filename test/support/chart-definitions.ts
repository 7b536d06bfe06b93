import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import type { ChartObject } from './helm.ts'

const module = fileURLToPath(new URL('../helm/crds', import.meta.url))

// Foreign kinds that the charts make objects of, by the module whose files define them.
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
    const { stdout } = await promisify(execFile)('go', ['mod', 'download', '-json', name], { cwd: module })
    const { Dir } = JSON.parse(stdout) as { Dir: string }
    for (const file of files) found.push(parse(await readFile(join(Dir, file), 'utf8')) as ChartObject)
  }
  return found
}
