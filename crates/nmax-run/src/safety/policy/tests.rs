use super::*;

fn allowed(text: &str) -> Allowed {
    Allowed { what: text.parse().unwrap(), given: Given::Flag }
}

fn proof(host: &str) -> Proof {
    Proof { host: host.parse().unwrap(), found_at: format!("https://{host}/.well-known/nmax"), of: Evidence::Machine }
}

/// A policy from flags as typed; `proved:HOST` stands for a proof.
fn policy(flags: &[&str]) -> Policy {
    let mut policy = Policy::new(Vec::new(), Vec::new(), Vec::new());
    for flag in flags {
        if let Some(host) = flag.strip_prefix("authorized:") {
            policy.authorized.push(host.parse().unwrap());
        } else if let Some(host) = flag.strip_prefix("proved:") {
            policy.add(proof(host));
        } else {
            policy.allow.push(allowed(flag));
        }
    }
    policy
}

/// Every kind of address against every kind of flag: the authorization, or the reason of the refusal.
#[test]
fn decisions() {
    let everything: &[&str] = &["0.0.0.0/0", "::/0", "h.example", "authorized:h.example", "proved:h.example"];
    // flags, host, address, authorization or part of the refusal
    type Case<'a> = (&'a [&'a str], &'a str, &'a str, Result<&'a str, &'a str>);
    let cases: &[Case] = &[
        (&[], "localhost", "127.0.0.1", Ok("loopback")),
        (&[], "localhost", "::1", Ok("loopback")),
        (&[], "h.example", "::ffff:127.1.2.3", Ok("loopback")),
        (&[], "0.0.0.0", "0.0.0.0", Ok("loopback")),
        (&[], "10.0.0.1", "10.0.0.1", Err("pass `--allow-target 10.0.0.1`")),
        (
            &[],
            "h.lan",
            "10.0.0.1",
            Err("h.lan (10.0.0.1) is a private address: if you may load it, pass `--allow-target h.lan`"),
        ),
        (&[], "h.lan", "::ffff:10.0.0.1", Err("h.lan (10.0.0.1) is a private address")),
        (&["h.lan"], "H.lan.", "10.0.0.1", Ok("--allow-target h.lan")),
        (&["h.lan"], "other.lan", "10.0.0.1", Err("pass `--allow-target other.lan`")),
        (&["10.0.0.0/8"], "other.lan", "10.0.0.1", Ok("--allow-target 10.0.0.0/8")),
        (&["10.0.0.0/8"], "other.lan", "::ffff:10.0.0.1", Ok("--allow-target 10.0.0.0/8")),
        (&["10.0.0.0/8"], "other.lan", "192.168.0.1", Err("is a private address")),
        (&["fd00::/8"], "six.lan", "fd12::1", Ok("--allow-target fd00::/8")),
        (&["authorized:h.lan"], "h.lan", "10.0.0.1", Err("open public addresses only")),
        (&["proved:h.lan"], "h.lan", "10.0.0.1", Err("open public addresses only")),
        (
            &[],
            "h.example",
            "93.184.215.14",
            Err("pass `--i-am-authorized-to-test h.example` or prove that you control it"),
        ),
        (&["0.0.0.0/0"], "h.example", "93.184.215.14", Err("open private addresses only")),
        (&["h.example"], "h.example", "93.184.215.14", Err("open private addresses only")),
        (&["93.184.215.14"], "93.184.215.14", "93.184.215.14", Err("open private addresses only")),
        (&["authorized:h.example"], "h.example", "93.184.215.14", Ok("--i-am-authorized-to-test h.example")),
        (&["authorized:h.example"], "www.h.example", "93.184.215.14", Err("--i-am-authorized-to-test www.h.example")),
        (
            &["authorized:93.184.215.14"],
            "93.184.215.14",
            "93.184.215.14",
            Ok("--i-am-authorized-to-test 93.184.215.14"),
        ),
        (&["authorized:93.184.215.14"], "h.example", "93.184.215.14", Err("is a public address")),
        (&["proved:h.example"], "h.example", "2606:2800::1", Ok("proved by https://h.example/.well-known/nmax")),
        (&["proved:h.example"], "other.example", "2606:2800::1", Err("is a public address")),
        (everything, "h.example", "169.254.169.254", Err("is a cloud's metadata address and is never loaded")),
        (everything, "h.example", "::ffff:169.254.169.254", Err("(169.254.169.254) is a cloud's metadata address")),
        (everything, "h.example", "64:ff9b::a9fe:a9fe", Err("is a cloud's metadata address")),
        (everything, "h.example", "fd00:ec2::254", Err("is a cloud's metadata address")),
        (everything, "h.example", "224.0.0.1", Err("not a host")),
        (everything, "h.example", "255.255.255.255", Err("not a host")),
        (everything, "h.example", "10.0.0.1", Ok("--allow-target 0.0.0.0/0")),
        (everything, "h.example", "8.8.8.8", Ok("--i-am-authorized-to-test h.example")),
    ];
    for (flags, host, ip, wanted) in cases {
        let policy = policy(flags);
        let ip: IpAddr = ip.parse().unwrap();
        let host_read = Host::of_url(host);
        let permitted = policy.permit(&host_read, ip).map(|permit| permit.to_string());
        match (&permitted, wanted) {
            (Ok(found), Ok(wanted)) => assert_eq!(found, wanted, "{flags:?} {host} {ip}"),
            (Err(refusal), Err(wanted)) => {
                let text = refusal.to_string();
                assert!(text.contains(wanted), "{flags:?} {host} {ip}: {text}\nwanted {wanted}");
            }
            _ => panic!("{flags:?} {host} {ip}: {permitted:?}, wanted {wanted:?}"),
        }
        assert_eq!(policy.decide(host, ip), permitted.map(drop), "decide and permit agree");
    }
}

/// The same name at another address meets the same rules: that is what stops rebinding.
#[test]
fn hook_decides_by_address() {
    let hook = Arc::new(policy(&["proved:h.example"])).hook();
    let ask = |ip: &str| hook("h.example", ip.parse().unwrap());
    assert_eq!(ask("93.184.215.14"), Ok(()));
    assert_eq!(ask("127.0.0.1"), Ok(()));
    assert!(ask("10.0.0.1").unwrap_err().contains("`--allow-target h.example`"));
    assert!(ask("169.254.169.254").unwrap_err().contains("metadata"));
}

#[test]
fn entries_of_a_file_name_it() {
    let entry = Allowed { given: Given::Config("c.yaml".into()), ..allowed("10.0.0.0/8") };
    assert_eq!(Permit::Allowed(&entry).to_string(), "allow_targets of c.yaml: 10.0.0.0/8");
}

/// What others order meets the same rules, and loopback is not free.
#[test]
fn loopback_is_not_free_for_others() {
    let decide = |flags: &[&str], host: &str, ip: &str| {
        let refusal = policy(flags).for_others().decide(host, ip.parse().unwrap());
        refusal.map_err(|refusal| refusal.to_string())
    };
    let refused = decide(&[], "localhost", "127.0.0.1").unwrap_err();
    assert!(
        refused.contains("is on this injector itself") && refused.contains("`--allow-target localhost`"),
        "{refused}"
    );
    assert!(
        decide(&[], "0.0.0.0", "0.0.0.0").is_err() && decide(&["authorized:h.example"], "h.example", "::1").is_err()
    );
    assert_eq!(decide(&["127.0.0.0/8"], "localhost", "127.0.0.1"), Ok(()));
    assert_eq!(decide(&["localhost"], "localhost", "::1"), Ok(()));
    assert_eq!(decide(&["10.0.0.0/8"], "h.lan", "10.0.0.1"), Ok(()));
    assert!(decide(&["169.254.0.0/16"], "m", "169.254.169.254").is_err(), "metadata stays closed");
}
