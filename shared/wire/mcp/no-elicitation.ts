/**
 * The option `jsonSchemaValidator` of a server that never asks its client for input. Without it both SDKs make a
 * validator for every session or request, which costs more memory and time than everything else in it.
 */
export const noElicitation = {
  getValidator: (): never => {
    throw new Error('this server asks its clients for no input')
  },
}
