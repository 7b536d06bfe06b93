import type { Routes } from './control-plane-routes.ts'

/** A route of the control plane by method and path, such as `GET /api/orgs/{orgId}/api-key`. */
export type Route = keyof Routes
/** The JSON of the route's successful response. */
export type AnswerOf<R extends Route> = Routes[R]['answer']
/** The JSON body that the route accepts. */
export type BodyOf<R extends Route> = Routes[R] extends { body: infer Body } ? Body : never
/** The query parameters of the route. */
export type QueryOf<R extends Route> = Routes[R] extends { query: infer Query } ? Query : never

type Params<R extends Route> = Routes[R] extends { params: infer P extends Values }
  ? { params: P }
  : { params?: undefined }
type Query<R extends Route> = [QueryOf<R>] extends [never]
  ? { query?: undefined }
  : object extends QueryOf<R>
    ? { query?: QueryOf<R> }
    : { query: QueryOf<R> }
type Body<R extends Route> = [BodyOf<R>] extends [never]
  ? { body?: undefined }
  : object extends BodyOf<R>
    ? { body?: BodyOf<R> }
    : { body: BodyOf<R> }

/** The arguments of a call to a route. */
export type InputOf<R extends Route> = Params<R> & Query<R> & Body<R>
/** The arguments of a call after the route: none if the route needs none. */
export type CallArguments<R extends Route, More = unknown> =
  object extends InputOf<R> ? [input?: InputOf<R> & More] : [input: InputOf<R> & More]

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type Values = Record<string, unknown>

/** Method and address of a call: path parameters encoded, empty values of the query left out. Pure. */
export function addressOf(
  route: Route | `${Method} /${string}`,
  { params = {}, query = {} }: { params?: Values | undefined; query?: Values | undefined } = {},
): { method: Method; path: string } {
  const [method, template = ''] = route.split(' ')
  const path = template.replace(/\{(\w+)\}/g, (_all, name: string) => {
    const value = params[name]
    if (typeof value !== 'string' || value === '') throw new TypeError(`${route} needs ${name}`)
    return encodeURIComponent(value)
  })
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return { method: method as Method, path: text === '' ? path : `${path}?${text}` }
}
