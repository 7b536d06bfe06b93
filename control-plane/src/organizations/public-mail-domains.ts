/** Mail domains where anybody can get an address; an organization cannot admit by one of them. */
const publicDomains = new Set(
  `126.com 139.com 163.com aim.com aol.com att.net bell.net bigpond.com bluewin.ch bol.com.br btinternet.com comcast.net
  cox.net daum.net disroot.org duck.com email.cz email.de fastmail.com fastmail.fm
  foxmail.com free.fr freenet.de gmail.com gmx.at gmx.ch gmx.com gmx.de gmx.net googlemail.com hanmail.net hey.com
  hotmail.co.uk hotmail.com hotmail.de hotmail.es hotmail.fr hotmail.it hushmail.com icloud.com inbox.lv inbox.ru
  interia.pl juno.com kolabnow.com laposte.net libero.it list.ru live.co.uk live.com live.de live.fr live.nl mac.com
  mail.com mail.de mail.ee mail.ru mailbox.org mailfence.com mailinator.com me.com msn.com naver.com netscape.net o2.pl
  onet.pl orange.fr outlook.com outlook.de outlook.es outlook.fr outlook.it pm.me posteo.de posteo.net proton.me
  protonmail.ch protonmail.com qq.com rambler.ru rediffmail.com riseup.net rocketmail.com rogers.com sapo.pt sbcglobal.net
  seznam.cz sfr.fr shaw.ca sina.com sky.com skynet.be startmail.com t-online.de terra.com.br tiscali.it tuta.com tuta.io
  tutamail.com tutanota.com tutanota.de ukr.net uol.com.br verizon.net virgilio.it vodafone.de wanadoo.fr web.de wp.pl
  ya.ru yahoo.ca yahoo.co.in yahoo.co.jp yahoo.co.uk yahoo.com yahoo.com.br yahoo.de yahoo.es yahoo.fr yahoo.it yandex.com
  yandex.ru ymail.com zoho.com zohomail.com`.split(/\s+/),
)

/** True when the domain says nothing about membership, `localhost` and bare names included. */
export function isPublicMailDomain(domain: string): boolean {
  return publicDomains.has(domain) || !domain.includes('.')
}

/** The domain of an e-mail address, in lower case. */
export function mailDomain(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1).toLowerCase()
}
