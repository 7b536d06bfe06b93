import type { ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import type { Children, ImageVerdict } from '../managed-daemon/observed.ts'
import type { RuntimeStep } from '../managed-daemon/step.ts'

/** `listed`: it was there when the watch began, so nobody waits for it. */
export type News = 'listed' | 'changed'

/** Where managed daemons run: child processes of the embedded platform, or objects of a Kubernetes API. */
export type Runtime = {
  /** What there is of one daemon. A read that fails throws; it never makes something absent. */
  observe(daemon: ManagedDaemon): Promise<Children>
  /** Whether an image may run here and is there. */
  checkImage(image: string): Promise<ImageVerdict>
  /** Does one step; doing it again does nothing. Throws StepRefused when repeating it is of no use. */
  execute(daemon: ManagedDaemon, step: RuntimeStep): Promise<void>
  /** Calls back with the name of each daemon of which something was found or has changed. Answers how to stop. */
  watch(onNews: (name: string, news: News) => void): () => void
}
