/**
 * The URL at which this machine reaches a daemon that listens at a URL. Not every system connects to the address that
 * stands for all of its own. Pure.
 */
export const localAddress = (listening: string): string =>
  listening.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
