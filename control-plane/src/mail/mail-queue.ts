import type { Log } from '@svc/shared/kit/log.ts'

/** Mails on their way. A request does not wait for its mail, so that its time does not tell whether there is one. */
export function createMailQueue(log: Log) {
  const underWay = new Set<Promise<void>>()

  return {
    /** Starts to send; a failure is logged by the sender and here, without what the mail says. */
    send: (sending: () => Promise<void>): void => {
      const sent = sending()
        .catch((error: unknown) => log.error({ err: error }, 'a mail was not sent'))
        .finally(() => underWay.delete(sent))
      underWay.add(sent)
    },

    /** Waits for the mails on their way. */
    drain: async (): Promise<void> => {
      await Promise.all(underWay)
    },
  }
}
