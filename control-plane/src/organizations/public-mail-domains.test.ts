import { expect, test } from 'vitest'
import { isPublicMailDomain, mailDomain } from './public-mail-domains.ts'

test.each(
  [
    'gmail.com outlook.com proton.me qq.com localhost',
    // Families of one provider, under the suffixes of many countries.
    'yahoo.com.mx yahoo.com.au yahoo.co.id yahoo.ne.jp hotmail.nl hotmail.com.br hotmail.co.th live.ca live.com.mx',
    'outlook.com.br outlook.jp msn.cn windowslive.com gmx.us gmx.co.uk gmx.info aol.de yandex.kz yandex.com.tr',
    'ymail.com rocketmail.com icloud.com inbox.lt mail.bg mail.com.tr mail.kz fastmail.jp lycos.de tiscali.co.uk',
    // Single names, and those that a provider gives beside its own.
    'bk.ru internet.ru abv.bg dir.bg i.ua meta.ua sohu.com 189.cn vip.163.com nate.com kakao.com biglobe.ne.jp',
    'consultant.com usa.com sent.com centrum.cz citromail.hu vp.pl post.cz alice.it otenet.gr clix.pt ig.com.br',
    'telenet.be ziggo.nl sunrise.ch online.no comhem.se bellsouth.net sympatico.ca xtra.co.nz optusnet.com.au',
    // Suffixes that companies use too.
    'trashmail.io webmail.io tuta.io mail.com live.com outlook.com inbox.com email.com live.ie mail.at',
    'pm.me tuta.com mozmail.com privaterelay.appleid.com cock.li yopmail.com guerrillamail.com 10minutemail.com',
  ].flatMap((line) => line.split(' ')),
)('%s says nothing of an organization', (domain) => expect(isPublicMailDomain(domain)).toBe(true))

test.each(
  [
    'acme.example acme.com.mx yahoo.acme.com live.acme.co.uk hotmail.studio yahooinc.com yandex-team.ru com.mx',
    'live.io live.tv mail.ai mail.gg inbox.ai email.io outlook.io',
  ].flatMap((line) => line.split(' ')),
)('%s may be the domain of an organization', (domain) => expect(isPublicMailDomain(domain)).toBe(false))

test('the domain of an address is in lower case', () => {
  expect(isPublicMailDomain(mailDomain('Ada@ACME.example'))).toBe(false)
  expect(isPublicMailDomain(mailDomain('Ada@Yahoo.Com.MX'))).toBe(true)
  expect(mailDomain('"odd@local"@acme.example')).toBe('acme.example')
})
