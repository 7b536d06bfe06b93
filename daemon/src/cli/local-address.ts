/**
 * The URL at which this machine reaches a daemon that listens at a URL. Not every system connects to the address that
 * stands for all of its own. Pure.
 */
export const localAddress = (listening: string): string =>
  listening.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')

/**
 * The Host under which a daemon serves this machine: it knows `localhost` whatever address it listens at, but an
 * address only if SVC_ALLOWED_HOSTS has it. Pure.
 */
export const localHost = (url: string | URL): string => `localhost:${new URL(url).port || '80'}`
