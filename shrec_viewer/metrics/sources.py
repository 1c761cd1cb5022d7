"""The papers and programs that measures, curves and profiles are defined by, cited once."""

SHREC_2006 = (
    "Veltkamp, Ruijsenaars, Spagnuolo, van Zwol, ter Haar: SHREC2006, 3D Shape Retrieval Contest. "
    "Utrecht University 2006, section 4"
)
PSB = "Shilane, Min, Kazhdan, Funkhouser: The Princeton Shape Benchmark. Shape Modeling International 2004"
PSB_TABLE = f"{PSB}; its program psbTable"
PSB_PLOT = f"{PSB}; its program psbPlot"
SHREC_2012 = (
    "Li, Godil, Aono et al.: SHREC'12 Track: Generic 3D Shape Retrieval. "
    "Eurographics Workshop on 3D Object Retrieval 2012, evaluation methods"
)
SHREC_2019 = (
    "Yuan, Abdul-Rashid, Li et al.: SHREC'19 Track: Extended 2D Scene Sketch-Based 3D Scene Retrieval. "
    "Eurographics Workshop on 3D Object Retrieval 2019, evaluation methods"
)
JARVELIN = (
    "Järvelin, Kekäläinen: Cumulated gain-based evaluation of IR techniques. "
    "ACM Transactions on Information Systems 20(4), 2002"
)
TYPKE = (
    "Typke, Veltkamp, Wiering: A measure for evaluating retrieval techniques based on partially ordered ground truth "
    "lists. IEEE International Conference on Multimedia and Expo 2006"
)
TREC_EVAL = "trec_eval, the evaluation program of the Text Retrieval Conference (NIST)"
VAN_RIJSBERGEN = "van Rijsbergen: Information Retrieval, 2nd edition. Butterworths 1979, chapter 7"
GENERALITY = (
    "Sebe, Huijsmans, Tian, Gevers: Toward complete performance characterization in content-based retrieval, section 4"
)
