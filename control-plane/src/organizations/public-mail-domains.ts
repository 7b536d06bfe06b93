/** Providers that give addresses under the suffixes of many countries. */
const families = new Set(
  `aol caramail chello email excite fastmail freemail gmail gmx googlemail guerrillamail hotmail hushmail icloud inbox
  live lycos mail mailinator msn outlook posteo protonmail rediffmail rocketmail tiscali trashmail tutamail tutanota
  wanadoo webmail windowslive yahoo yahoomail yandex ymail yopmail zohomail`.split(/\s+/),
)

/** Words among them, with suffixes that companies use and these providers do not: `live.io` may be a company. */
const words = new Set(['email', 'inbox', 'live', 'mail', 'outlook'])
const companySuffixes = new Set(['ai', 'gg', 'io', 'tv'])

/** Suffixes beside those of two letters, and what stands before those: `mail.info`, `mail.com.mx`. */
const topLevels = new Set(['biz', 'com', 'info', 'net', 'org'])
const secondLevels = new Set(['co', 'com', 'ne', 'net', 'or', 'org'])

/** Other mail domains where anybody can get an address, among them those that the customers of a network get. */
const publicDomains = new Set(
  `012.net.il 10minutemail.com 123mail.org 126.com 139.com 163.com 188.com 189.cn 20minutemail.com 21cn.com 263.net
  3g.ua 8alias.com 8shield.net 9online.fr a1.net aapt.net.au abv.bg accountant.com activist.com adam.com.au addy.io
  adelphia.net adexec.com adinet.com.uy aim.com airmail.cc airpost.net aleeas.com alice.it aliceadsl.fr aliyun.com
  allergist.com allmail.net altavista.com alumni.com alumnidirector.com ameritech.net angelic.com anonaddy.com
  anonaddy.me aon.at apollo.lv appraiser.net archaeologist.com arcor.de arcticmail.com arnet.com.ar artlover.com
  aruba.it asahi-net.or.jp asia.com atlanticbb.net atlas.cz atlas.sk att.net attglobal.net au.com auctioneer.net
  autistici.org autorambler.ru azet.sk bahnhof.se bartender.net base.be bbox.fr bell.net bellaliant.net
  bellatlantic.net bellsouth.net bezeqint.net bigfoot.com biglobe.ne.jp bigmir.net bigpond.com bigpond.com.au
  bigpond.net.au bikerider.com birdlover.com bk.ru blu.it bluemail.dk bluewin.ch blueyonder.co.uk bol.com.br
  bredband.net brew-meister.com broadpark.no btconnect.com btinternet.co.uk btinternet.com btopenworld.co.uk
  btopenworld.com byom.de c2i.net cableone.net caiyun.com caltanet.it canada.com cantv.net care2.com casema.nl
  cash4u.com catlover.com cegetel.net centrum.cz centrum.sk centurylink.net centurytel.net charter.net cheerful.com
  chef.net chemist.com chol.com ciaoweb.it citromail.hu ciudad.com.ar clear.net.nz clerk.com clix.pt club-internet.fr
  clubmember.org cock.li cogeco.ca collector.org columnist.com comcast.net comhem.se comic.com compuserve.com
  computer4u.com consultant.com contractor.net coolsite.net counsellor.com countermail.com cox.net criptext.com cs.com
  ctemplar.com cyber-wizard.com cyberdude.com cybergal.com cyberservices.com cytanet.com.cy dallasmail.com daum.net
  dbmail.com delfi.lt deliveryman.com dion.ne.jp diplomats.com dir.bg discard.email discardmail.com disciples.com
  disney.ne.jp dispostable.com disroot.org docomo.ne.jp doctor.com dodo.com.au doglover.com doramail.com dr.com
  dreamwiz.com dublin.com duck.com e-mail.de e.email earthling.net earthlink.net eastlink.ca easymail.com eircom.net
  elisanet.fi elvisfan.com emailengine.net emailn.de emailondeck.com embarqmail.com eml.cc empal.com engineer.com
  englandmail.com eonet.ne.jp epix.net erols.com europe.com europemail.com euskaltel.net ewe.net ewetel.net execs.com
  execulink.com exemail.com.au eyou.com ezweb.ne.jp f-m.fm fakeinbox.com fastem.com fastest.cc fastimap.com
  fastservice.com fastwebnet.it fea.st fibertel.com.ar financier.com firemail.de fireman.net flash.net fmail.co.uk
  fmailbox.com fmgirl.com fmguy.com forthnet.gr forum.dk foxmail.com free.fr freeler.nl freenet.de freeserve.co.uk
  freeuk.com freeuk.net frisurf.no front.ru frontier.com frontiernet.net fsmail.net fsnet.co.uk ftml.net fuse.net
  gardener.com gawab.com gazeta.pl gci.net genion.de geologist.com germanymail.com getmail.no getnada.com globo.com
  globomail.com glocalnet.net go.com go2.pl goo.jp graduate.org graphic-designer.com green.ch greenmail.net
  groupmail.com grr.la guerrillamailblock.com hackermail.com hailmail.net hairdresser.net hanafos.com hanmail.net
  hanmail2.net hawaiiantel.net hdsnet.hu hetnet.nl hey.com hi-ho.ne.jp hilarious.com hinet.net hispavista.com
  hispeed.ch hol.gr home.nl home.se hot-shot.com hot.ee hotbot.com hotbox.ru hotpop.com housemail.com htp-tel.de
  hughes.net humanoid.net hush.ai hush.com i.softbank.jp i.ua iafrica.com ibest.com.br icq.com ig.com.br iinet.net.au
  ik.me imap-mail.com imap.cc imapmail.org in.com in.gr iname.com indamail.hu india.com indiatimes.com infinitum.com.mx
  infonie.fr infoseek.jp innocent.com inode.at inorbit.com instruction.com instructor.net insurer.com interfree.it
  interia.com interia.eu interia.pl internet-e-mail.com internet.lu internet.ru internetemails.net internode.on.net
  intmail.pl inventati.org invitel.hu inwind.it iobox.fi iol.ie iol.it iol.pt iprimus.com.au irelandmail.com
  italymail.com iwon.com jcom.home.ne.jp jetemail.net jippii.fi job4u.com journalist.com jubii.dk jubiimail.dk jumpy.it
  juno.com justemail.net kabelbw.de kabelmail.de kakao.com keemail.me keromail.com kimo.com kissfans.com kittymail.com
  knology.net kolabnow.com kolumbus.fi korea.com koreamail.com kpnmail.nl kpnplanet.nl land.ru laposte.net
  latinmail.com lavabit.com lawyer.com legislator.com lenta.ru letterboxes.org libero.it lineone.net linuxmail.org
  list.ru livedoor.com london.com loop.de loveable.com lovecat.com luukku.com lyse.net mac.com mad.scientist.com
  madasafish.com madonnafan.com madrid.com magenta.de mail-central.com mail-me.com mail-page.com mail2world.com
  mailas.com mailbolt.com mailbox.org mailc.net mailcan.com mailcatch.com maildrop.cc mailfence.com mailforce.net
  mailftp.com mailhaven.com mailite.com mailmight.com mailnesia.com mailnew.com mailnull.com mailo.com mailsent.net
  mailservice.ms mailup.net mailworks.org maktoob.com marchmail.com mchsi.com me.com mediacombb.net meta.ua
  metalfan.com mexicomail.com mindless.com mindspring.com minister.com mintemail.com ml1.net mm.st mnet-online.de
  moakt.com mohmal.com moscowmail.com movistar.es mozmail.com mts.net munich.com murena.io musician.org muslim.com
  mweb.co.za myfastmail.com mynet.com myrambler.ru myself.com mytemp.email myway.com myyahoo.com nada.email
  nana10.co.il nate.com naver.com nb.sympatico.ca net-c.com net-shopping.com netaddress.com netcabo.pt netcologne.de
  netcom.com netscape.net netscapeonline.co.uk netspace.net.au netvigator.com netvision.net.il netzero.com netzero.net
  neuf.fr newmail.ru nexgo.de nic.fi nifty.com nifty.ne.jp nm.ru noos.fr nordnet.fr northwestel.net nospammail.net
  ns.sympatico.ca ntlworld.com null.net numericable.fr nycmail.com o2.co.uk o2.pl oceanfree.net ocn.ne.jp odn.ne.jp
  ofir.dk oi.com.br one.lv onet.eu onet.pl onetel.com oninet.pt online.de online.ee online.no online.ua onmail.com
  ono.com onsbrabantnet.nl op.pl operamail.com optician.com optimum.net optonline.net optusnet.com.au orange.fr
  orcon.net.nz orthodontist.net osnanet.de otenet.gr ownmail.net ozemail.com.au pacbell.net pacific-ocean.com
  pacific.net.sg pacificwest.com paradise.net.nz paran.com passagen.se passinbox.com passmail.com passmail.net
  passport.com pchome.com.tw pec.it pediatrician.com peoplepc.com petlover.com petml.com photographer.net physicist.net
  pipeline.com pisem.net plala.or.jp planet.nl playful.com plus.net plusnet.com pm.me pobox.com pobox.sk pochta.ru
  poczta.fm poczta.onet.eu poczta.onet.pl poetic.com polandmail.com politician.com popstar.com portugalmail.pt post.com
  post.cz post.sk poste.it postinbox.com postpro.net pp.inet.fi presidency.com priest.com privaterelay.appleid.com
  prodigy.net prodigy.net.mx programmer.net proinbox.com promessage.com protestant.com proton.me proximus.be pt.lu
  ptd.net publicist.com q.com qip.ru qq.com qualityservice.com quick.cz quicknet.nl qwest.net r7.com radiologist.net
  rakumail.jp rambler.ru ravemail.com rcn.com realemail.net reallyfast.biz reallyfast.info realtyagent.com reborn.com
  reggaefan.com religious.com repairman.com representative.com rescueteam.com riseup.net ro.ru roadrunner.com
  rogers.com rr.com runbox.com rushpost.com safe-mail.net safrica.com saintly.com salesperson.net samerica.com
  sanfranmail.com sapo.pt sasktel.net saunalahti.fi sbcglobal.net scarlet.be sci.fi scientist.com scotlandmail.com
  secretary.net seed.net.tw sent.as sent.at sent.com seznam.cz sfr.fr sharklasers.com shaw.ca sify.com simnet.is
  simplelogin.co simplelogin.com simplelogin.fr sina.cn sina.com singnet.com.sg skiff.com sky.com skynet.be
  slingshot.co.nz slmail.me snakebite.com snet.net so-net.ne.jp socialworker.net sociologist.com softbank.ne.jp
  softhome.net sohu.com sol.dk solcon.nl solution4u.com songwriter.net spainmail.com spam4.me spambog.com spambog.de
  spamgourmet.com spectrum.net speedpost.net speedy.com.ar speedymail.org spray.no spray.se sprynet.com ssl-mail.com
  starhub.net.sg starmedia.com start.no startmail.com stofanet.dk streamyx.com suddenlink.net sunrise.ch suomi24.fi
  supereva.it superig.com.br superonline.com swbell.net sweb.cz swedenmail.com swift-mail.com swipnet.se swissmail.com
  sympatico.ca systemli.org t-online.de t-online.hu takas.lt talk21.com talktalk.co.uk talktalk.net tdc.dk tdcadsl.dk
  tds.net teachers.org tech-center.com techie.com technologist.com tele2.no tele2.se telefonica.net teleline.es
  telenet.be telepac.pt telia.com telia.se telkom.net telkomsa.net telus.net temp-mail.org tempail.com tempmail.com
  terra.cl terra.com terra.com.ar terra.com.br terra.com.mx terra.es tesco.net thaimail.net the-fastest.net
  the-quickest.com theinternetemail.com theplate.com therapist.net throwawaymail.com tim.it tin.it tinyworld.co.uk
  tlen.pl toke.com tom.com toothfairy.com torontomail.com tpg.com.au tre.it ttmail.com turk.net tut.by tuta.com tuta.io
  tvstar.com twc.com ukr.net ukrpost.net umpire.com une.net.co unity-mail.de unitybox.de unseen.is uol.com.ar
  uol.com.br uol.com.mx upcmail.nl uqmobile.jp usa.com usa.net utanet.at uwclub.net uymail.com verizon.net versanet.de
  veryfast.biz veryspeedy.net vfemail.net videotron.ca vip.126.com vip.163.com vip.188.com vip.qq.com vip.sina.com
  vip.sohu.com vipmail.hu virgilio.it virgin.net virginmedia.com vivaldi.net vk.com vodafone.co.nz vodafone.de
  vodafone.it vodafone.ne.jp vodafonemail.de vodamail.co.za voila.fr volny.cz voo.be vp.pl vtr.net vtxmail.ch
  walla.co.il walla.com warpmail.net web.de webname.com wegwerfmail.de westnet.com.au which.net whoever.com
  windstream.net winning.com witty.com wo.cn worker.com workmail.com worldnet.att.net wowmail.com wowway.com wp.pl
  writeme.com wxs.net xmail.ru xs4all.nl xsmail.com xtra.co.nz ya.com ya.ru yam.com ybb.ne.jp yeah.net yepmail.net
  ymobile.ne.jp youmail.dk your-mail.com yours.com zahav.net.il zeelandnet.nl zen.co.uk ziggo.nl zip.net zipmail.com.br
  zoho.com zoho.com.au zoho.eu zoho.in zonnet.nl zoznam.sk`.split(/\s+/),
)

/**
 * True when the domain says nothing about membership, `localhost` and bare names included. An organization cannot admit
 * by it. Says so of a few companies too: they can invite, while a name that is missing lets strangers in.
 */
export function isPublicMailDomain(domain: string): boolean {
  return publicDomains.has(domain) || isOfFamily(domain) || !domain.includes('.')
}

function isOfFamily(domain: string): boolean {
  const [name = '', ...suffix] = domain.split('.')
  if (!families.has(name)) return false
  const [first = '', second] = suffix
  if (words.has(name) && companySuffixes.has(suffix.join('.'))) return false
  if (second === undefined) return first.length === 2 || topLevels.has(first)
  return suffix.length === 2 && secondLevels.has(first) && second.length === 2
}

/** The domain of an e-mail address, in lower case. */
export function mailDomain(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1).toLowerCase()
}
