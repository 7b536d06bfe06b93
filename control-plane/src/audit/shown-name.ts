/** Stands for the name of a person who has given none, where their address is not shown. */
export const NAMELESS = 'Somebody without a name'

/**
 * The name of a person where others see it and no address may be seen. Accounts that were made by a mailed link have no
 * name until their person gives one.
 */
export const shownName = (name: string): string => (name.trim() === '' ? NAMELESS : name)
