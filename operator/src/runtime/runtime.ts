import type { ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import type { Children, ImageVerdict } from '../managed-daemon/observed.ts'
import type { RuntimeStep } from '../managed-daemon/step.ts'

/** `listed`: it existed when the watch started, so nobody waits for it. */
export type News = 'listed' | 'changed'

/** Where managed daemons run: child processes of the embedded platform, or objects of a Kubernetes API. */
export type Runtime = {
  /** The present state of one daemon. A failed read throws; it never means absence. */
  observe(daemon: ManagedDaemon): Promise<Children>
  /** Whether an image may run here and exists. */
  checkImage(image: string): Promise<ImageVerdict>
  /** Does one step; repeating it changes nothing. Throws StepRefused when a retry cannot succeed. */
  execute(daemon: ManagedDaemon, step: RuntimeStep): Promise<void>
  /**
   * Calls back with the name of each daemon when something of it was found or changed. Returns the function that stops
   * it.
   */
  watch(onNews: (name: string, news: News) => void): () => void
}
