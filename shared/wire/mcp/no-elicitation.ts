/**
 * The option `jsonSchemaValidator` of a server that never asks its client for input. Both SDKs would otherwise make a
 * validator of their own for every session or request, which costs more memory and time than all the rest of it.
 */
export const noElicitation = {
  getValidator: (): never => {
    throw new Error('this server asks its clients for no input')
  },
}
