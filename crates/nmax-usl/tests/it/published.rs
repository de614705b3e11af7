//! Coefficients of published data sets, by every method; data and origins in `testdata/usl/PROVENANCE.md`.

use crate::sets;
use nmax_usl::{Method, Observation, fit};

/// One line of a published or recomputed table: α, β, γ; standard errors of α, β and γ (ln γ for `log`) with the
/// residual deviation; N_peak and X_peak.
struct Line {
    set: &'static str,
    method: Method,
    law: [f64; 3],
    errors: Option<[f64; 4]>,
    peak: Option<(f64, f64)>,
}

const fn line(
    set: &'static str,
    method: Method,
    law: [f64; 3],
    errors: Option<[f64; 4]>,
    peak: Option<(f64, f64)>,
) -> Line {
    Line { set, method, law, errors, peak }
}

use Method::{Log, Ols, Ols2, Poly2, Poly3};

#[rustfmt::skip]
const LINES: [Line; 36] = [
    line("specsdm91", Log,   [0.01345247, 0.0001151101, 67.94232], Some([0.004042, 2.162e-5, 0.0668, 0.0746276]), Some((92.5768, 1960.794))),
    line("specsdm91", Ols,   [0.02772848, 0.0001043655, 89.99523], Some([0.009122, 1.988e-5, 14.21, 82.8458]), Some((96.5196, 1883.899))),
    line("specsdm91", Ols2,  [0.01260487, 0.0001112003, 64.9], None, Some((94.2307, 1940.172))),
    line("specsdm91", Poly2, [0.01704689, 7.892498e-5, 64.9], None, Some((111.5987, 1876.6))),
    line("specsdm91", Poly3, [0.02444825, 8.103661e-5, 78.31041], None, Some((109.7197, 1857.905))),
    line("cisco", Log,   [0.02045391, 0.0008909602, 960.1509], Some([0.002319, 6.69e-5, 0.0112, 0.020072]), Some((33.1576, 12208.33))),
    line("cisco", Ols,   [0.02671595, 0.0007690939, 995.6488], Some([0.004494, 8.645e-5, 28.7, 187.897]), Some((35.5738, 12342.85))),
    line("cisco", Ols2,  [0.02071644, 0.0008612175, 955.16], None, Some((33.7208, 12255.52))),
    line("cisco", Poly2, [0.02017482, 0.0008824741, 955.16], None, Some((33.3214, 12229.51))),
    line("cisco", Poly3, [0.02148549, 0.0008609103, 963.4803], None, Some((33.7136, 12246.6))),
    line("cisco 10", Log,   [0.02536338, -0.0002206416, 953.7676], Some([0.0047, 0.0004535, 0.007561, 0.00942255]), None),
    line("cisco 10", Ols,   [0.01700277, 0.0004465392, 938.3793], Some([0.006926, 0.0005176, 15.79, 37.8779]), Some((46.9187, 16052.1))),
    line("cisco 10", Ols2,  [0.02396162, -2.884514e-5, 955.16], None, None),
    line("cisco 10", Poly2, [0.02582794, -0.0002446987, 955.16], None, None),
    line("cisco 10", Poly3, [0.02478046, -0.0001642217, 953.083], None, None),
    line("raytracer", Log,   [0.05640544, 3.358267e-6, 21.5915], Some([0.007686, 0.0001195, 0.04409, 0.0563909]), Some((530.0723, 360.0845))),
    line("raytracer", Ols,   [0.07814785, -0.0002011213, 24.76617], Some([0.01341, 0.00012, 2.157, 7.77832]), None),
    line("raytracer", Ols2,  [0.04979728, 1.143444e-5, 20.0], None, Some((288.2708, 354.7466))),
    line("raytracer", Poly2, [0.05002394, 4.708218e-6, 20.0], None, Some((449.1879, 368.6705))),
    line("raytracer", Poly3, [0.06468617, -0.0001035058, 22.46578], None, None),
    line("raytracer 6", Log,   [0.01671649, 0.001890997, 20.28137], Some([0.007145, 0.0003542, 0.02087, 0.0230501]), Some((22.8031, 200.6731))),
    line("raytracer 6", Ols,   [0.02444404, 0.001626809, 20.85605], Some([0.008391, 0.0002614, 0.7885, 1.83411]), Some((24.4883, 203.4882))),
    line("raytracer 6", Ols2,  [0.01591037, 0.001841155, 20.0], None, Some((23.1192, 201.6106))),
    line("raytracer 6", Poly2, [0.01463198, 0.00191271, 20.0], None, Some((22.6973, 200.912))),
    line("raytracer 6", Poly3, [0.01811213, 0.001817487, 20.32116], None, Some((23.2432, 201.6329))),
    line("memcached", Log,   [0.0182295, 0.0206202, 79.33907], Some([0.02267, 0.002034, 0.02951, 0.0346899]), Some((6.9002, 281.1705))),
    line("memcached", Ols,   [-0.01220016, 0.02183404, 75.04709], Some([0.02153, 0.001377, 3.432, 5.93934]), Some((6.8087, 285.0358))),
    line("memcached", Ols2,  [0.02551704, 0.02095767, 81.91], None, Some((6.8189, 282.0818))),
    line("memcached", Poly2, [0.0180682, 0.02193088, 81.91], None, Some((6.6913, 282.8082))),
    line("memcached", Poly3, [0.001018114, 0.02203821, 78.29211], None, Some((6.7327, 283.9405))),
    line("sysbench", Log,   [0.3388853, 2.628477e-5, 10325.33], Some([0.05111, 2.95e-5, 0.111, 0.146382]), Some((158.5938, 29739.19))),
    line("sysbench", Ols,   [0.4287747, 1.952267e-5, 12516.93], Some([0.06987, 2.473e-5, 1725.0, 2729.5]), Some((171.0544, 28745.87))),
    line("sysbench", Ols2,  [0.270914, 2.194806e-5, 8272.558], None, Some((182.2600, 29662.17))),
    line("sysbench", Poly2, [0.3012576, 1.151566e-7, 8272.558], None, Some((2463.2822, 27408.47))),
    line("synthetic", Log,   [0.02000387, 0.01999979, 1.000003], Some([3.127e-6, 3.279e-7, 3.491e-6, 4.01177e-6]), Some((7.0, 3.571411))),
    line("synthetic", Ols,   [0.02000576, 0.01999967, 1.000005], Some([3.526e-6, 2.654e-7, 6.091e-6, 9.54431e-6]), Some((7.0, 3.571409))),
];

/// The rest of sysbench and of the synthetic set.
#[rustfmt::skip]
const MORE: [Line; 4] = [
    line("sysbench", Poly3, [0.685458, -9.02142e-7, 18741.98], None, None),
    line("synthetic", Ols2,  [0.02000322, 0.01999977, 1.0], None, Some((7.0, 3.571411))),
    line("synthetic", Poly2, [0.02000345, 0.01999973, 1.0], None, Some((7.0, 3.571412))),
    line("synthetic", Poly3, [0.02000502, 0.01999968, 1.000003], None, Some((7.0, 3.57141))),
];

fn set(name: &str) -> Vec<Observation> {
    match name {
        "specsdm91" => sets::specsdm91(),
        "cisco" => sets::cisco(),
        "cisco 10" => sets::cisco()[..10].to_vec(),
        "raytracer" => sets::raytracer(),
        "raytracer 6" => sets::raytracer()[..6].to_vec(),
        "memcached" => sets::memcached(),
        "sysbench" => sets::sysbench(),
        "synthetic" => sets::synthetic(),
        _ => unreachable!("no such set: {name}"),
    }
}

/// Whether `found` is `want` to `tolerance`, relative.
#[track_caller]
fn near(what: &str, found: f64, want: f64, tolerance: f64) {
    assert!((found - want).abs() <= tolerance * want.abs(), "{what}: {found}, published {want}");
}

fn check(line: &Line) {
    let what = |part: &str| format!("{} {} {part}", line.set, line.method.name());
    let fit = fit(&set(line.set), line.method).expect("a fit");
    assert_eq!(fit.method, line.method);
    assert!(fit.converged && fit.at_bound.is_empty());
    near(&what("α"), fit.law.contention, line.law[0], 1e-4);
    near(&what("β"), fit.law.coherency, line.law[1], 1e-4);
    near(&what("γ"), fit.law.unit_throughput, line.law[2], 1e-4);
    if let Some([alpha, beta, gamma, sd]) = line.errors {
        let found = fit.standard_errors().expect("degrees of freedom");
        near(&what("SE(α)"), found[0], alpha, 6e-4);
        near(&what("SE(β)"), found[1], beta, 6e-4);
        near(&what("SE(γ)"), found[2], gamma, 1e-3);
        near(&what("sd"), fit.residual_sd().expect("degrees of freedom"), sd, 1e-5);
    }
    let peak = fit.law.peak_concurrency().zip(fit.law.peak_throughput());
    match (peak, line.peak) {
        (Some(found), Some(want)) => {
            near(&what("N_peak"), found.0, want.0, 1e-4);
            near(&what("X_peak"), found.1, want.1, 1e-5);
        }
        (None, None) => {}
        (found, want) => panic!("{}: {found:?}, published {want:?}", what("peak")),
    }
}

#[test]
fn published_coefficients() {
    for line in LINES.iter().chain(&MORE) {
        check(line);
    }
}
