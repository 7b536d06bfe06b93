import type { TestProject } from 'vitest/node'
import { startChartCluster } from './chart-cluster.ts'
import { valueSets } from './chart-values.ts'
import { helmProgram, render, type ChartObject } from './helm.ts'

declare module 'vitest' {
  interface ProvidedContext {
    helm: string
    /** The rendered objects of each set of values, by chart and name of the set. */
    rendered: Record<string, ChartObject[]>
  }
}

/**
 * Global setup: builds Helm if it is missing, and renders every set of values once for all tests. It does so in a
 * cluster, because the chart refuses to make a key where it could not read it back.
 */
export default async function setup(project: TestProject) {
  const helm = await helmProgram(3)
  const rendered: Record<string, ChartObject[]> = {}
  const cluster = await startChartCluster()
  const { kubeconfig } = cluster
  try {
    for (const { name, chart, values } of valueSets)
      rendered[`${chart}: ${name}`] = await render({ helm, chart, values, kubeconfig })
  } finally {
    await cluster.stop()
  }
  project.provide('helm', helm)
  project.provide('rendered', rendered)
}
