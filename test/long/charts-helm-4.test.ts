import { expect, onTestFinished, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { startChartCluster } from '../support/chart-cluster.ts'
import { valueSets } from '../support/chart-values.ts'
import { helmProgram, render, type ChartObject } from '../support/helm.ts'

/** Objects by name, without values that are generated at every rendering. */
const comparable = (objects: ChartObject[]) =>
  objects
    .map((object) => (object.kind === 'Secret' ? { ...object, data: undefined, stringData: undefined } : object))
    .toSorted((a, b) => `${a.kind} ${a.metadata.name}`.localeCompare(`${b.kind} ${b.metadata.name}`))

test('Helm 3 and Helm 4 render the same objects', async () => {
  verifies('chart.renders')
  const [three, four] = [await helmProgram(3), await helmProgram(4)]
  const cluster = await startChartCluster()
  onTestFinished(() => cluster.stop())
  for (const { name, chart, values } of valueSets) {
    const set = { chart, values, kubeconfig: cluster.kubeconfig }
    const [old, young] = [await render({ helm: three, ...set }), await render({ helm: four, ...set })]
    expect(comparable(young), `${chart}: ${name}`).toEqual(comparable(old))
  }
}, 1_800_000)
