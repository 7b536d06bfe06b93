import type { Log } from '@svc/shared/kit/log.ts'

/** Mails being sent. A request does not wait for its mail, so that its time does not reveal whether there is one. */
export function createMailQueue(log: Log) {
  const underWay = new Set<Promise<void>>()

  return {
    /** Starts to send. A failure is logged by the sender and here, without the content of the mail. */
    send: (sending: () => Promise<void>): void => {
      const sent = sending()
        .catch((error: unknown) => log.error({ err: error }, 'a mail was not sent'))
        .finally(() => underWay.delete(sent))
      underWay.add(sent)
    },

    /** Waits for the mails being sent. */
    drain: async (): Promise<void> => {
      await Promise.all(underWay)
    },
  }
}
