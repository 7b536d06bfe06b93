import { defineConfig } from 'vitest/config'
import { measuringTests } from './test/measuring-tests.ts'

// A busy machine is no failure of a test: these are many times what the slowest one takes.
const patience = { testTimeout: 300_000, hookTimeout: 300_000, expect: { poll: { timeout: 90_000 } } }
const ignored = ['**/node_modules/**', '**/dist/**', '.data/**', 'test/kubernetes/**', 'test/helm/**']

const unitTests = [
  '{shared,kube,daemon,control-plane,operator,embedded}/**/*.test.{ts,tsx}',
  'test/*.test.ts',
  'test/contract/**/*.test.ts',
]
const measuring = measuringTests(unitTests, import.meta.dirname)
// A busy machine is no failure of a test.
const unitPatience = { testTimeout: 60_000, hookTimeout: 60_000, expect: { poll: { timeout: 30_000 } } }

/**
 * One project per kind of test; `npm test` runs all but `cluster` and `long`, `npx --no vitest run --project 'unit*'`
 * the unit tests.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: unitTests,
          exclude: [...ignored, ...measuring],
          // A process for each file would cost as much CPU time as the tests themselves.
          isolate: false,
          ...unitPatience,
        },
      },
      {
        // Unit tests that measure have a process for each file: what others leave behind would count.
        test: { name: 'unit-measured', include: measuring, exclude: ignored, ...unitPatience },
      },
      {
        test: {
          name: 'system',
          include: ['test/system/**/*.test.ts'],
          exclude: [...ignored, 'test/system/kubernetes-*.test.ts'],
          globalSetup: ['test/support/postgres-server.ts'],
          // A process for each file would load the control plane for each: a quarter of the CPU time of the tests.
          isolate: false,
          ...patience,
          // Most of these tests wait for other processes; more files at once would compete for the processor.
          maxWorkers: 3,
        },
      },
      {
        test: {
          name: 'charts',
          include: ['test/charts/**/*.test.ts'],
          exclude: ignored,
          globalSetup: ['test/support/rendered-charts.ts'],
          ...patience,
          hookTimeout: 900_000,
        },
      },
      {
        test: {
          name: 'kubernetes',
          include: ['test/system/kubernetes-*.test.ts'],
          exclude: ignored,
          globalSetup: ['test/support/postgres-server.ts'],
          ...patience,
          hookTimeout: 900_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'cluster',
          include: ['test/cluster/**/*.test.ts'],
          exclude: ignored,
          globalSetup: ['test/support/cluster-platform.ts'],
          setupFiles: ['test/support/answer-log.ts'],
          testTimeout: 180_000,
          hookTimeout: 180_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          exclude: ignored,
          globalSetup: ['test/support/postgres-server.ts'],
          isolate: false,
          ...patience,
          // Most of the time a page waits for a server or a server for a page; more browsers would wait for each other.
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: 'long',
          include: ['test/long/**/*.test.ts'],
          exclude: ignored,
          globalSetup: ['test/support/postgres-server.ts'],
          testTimeout: 600_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
})
